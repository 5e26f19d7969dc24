{{/* Name of the service's objects. */}}
{{- define "rollcall.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride -}}
{{- else if contains .Chart.Name .Release.Name -}}
{{- .Release.Name | trunc 52 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name .Chart.Name | trunc 52 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{/* What the Service, the Deployment and the policies select by. */}}
{{- define "rollcall.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "rollcall.labels" -}}
{{ include "rollcall.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end -}}

{{/* The reference of the image; it must be known where it was pushed. */}}
{{- define "rollcall.image" -}}
{{- $image := .Values.image -}}
{{- $repository := required "image.repository: say where the image was pushed, for example --set image.repository=registry.example.org/rollcall" $image.repository -}}
{{- if $image.digest -}}
{{- printf "%s@%s" $repository $image.digest -}}
{{- else -}}
{{- printf "%s:%s" $repository ($image.tag | default .Chart.AppVersion) -}}
{{- end -}}
{{- end -}}

{{/* One setting of the configuration, as given or else as built in: (list . "crawl" "storePort"). */}}
{{- define "rollcall.setting" -}}
{{- $root := index . 0 -}}
{{- $section := index . 1 -}}
{{- $field := index . 2 -}}
{{- $builtIn := $root.Files.Get "files/built_in.yaml" | fromYaml -}}
{{- dig $section $field (dig $section $field "" $builtIn) $root.Values.config -}}
{{- end -}}

{{/* An address that the service listens on: (list . 8080). */}}
{{- define "rollcall.listen" -}}
{{- $address := (index . 0).Values.bindAddress -}}
{{- $port := index . 1 -}}
{{- if contains ":" $address -}}
{{- printf "[%s]:%d" $address $port -}}
{{- else -}}
{{- printf "%s:%d" $address $port -}}
{{- end -}}
{{- end -}}

{{/* The CompositeController of a hook as it is shipped: (list . "crawljob"). */}}
{{- define "rollcall.shipped" -}}
{{- (index . 0).Files.Get (printf "files/controllers/%s.yaml" (index . 1)) -}}
{{- end -}}

{{/* NetworkPolicy egress to whoever answers DNS. */}}
{{- define "rollcall.dns" -}}
- to:
    {{- toYaml .Values.networkPolicies.dns | nindent 4 }}
  ports:
    - protocol: UDP
      port: 53
    - protocol: TCP
      port: 53
{{- end -}}
