# The verbs of the project; `just` lists them.
default:
    @just --list --unsorted

# Format the code.
fmt:
    cargo fmt

# Lint as strictly as .ci/run does.
lint:
    cargo fmt --check && cargo clippy --locked --all-targets -- -D warnings

# Run what needs nothing.
test:
    cargo test --locked

# Show the life of a crawl without a cluster.
demo *ARGS:
    cargo run --locked --release -- demo {{ARGS}}

# Send every recorded request and compare the answers.
replay *ARGS:
    cargo run --locked -- replay hooks {{ARGS}}

# Record the answers to every recorded request anew.
fixtures:
    cargo run --locked -- replay hooks --update

# Run behind a real control plane and a real Redis: needs Go and redis-server.
real *ARGS:
    cargo test --locked --test real -- --test-threads 4 {{ARGS}}

# Build the container image.
image:
    docker build -t rollcall:dev .

# Check licences and advisories: needs cargo-deny.
deny:
    cargo deny --config .deny.toml check

# Run everything that must pass.
ci:
    .ci/run
