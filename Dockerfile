# The image holds one static binary and nothing else. With a binary that was built before, by the command below, the
# first stage is not run and nothing is downloaded: docker build --build-context builder=. .
FROM docker.io/library/rust:1.95-slim-bookworm AS builder
WORKDIR /src
COPY Cargo.toml Cargo.lock ./
COPY src src
COPY hooks/crawljob/controller.yaml hooks/crawljob/
ENV CARGO_TARGET_DIR=/target RUSTFLAGS="-C target-feature=+crt-static"
RUN cargo build --release --locked --target x86_64-unknown-linux-gnu

FROM scratch
COPY --from=builder /target/x86_64-unknown-linux-gnu/release/rollcall /rollcall
USER 65532:65532
EXPOSE 8080 8081
ENTRYPOINT ["/rollcall"]
CMD ["serve"]
