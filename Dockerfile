# The server with its dashboard. docs/how-to/run-in-production.md says how to use it, compose.yaml has it with a PostgreSQL.
FROM node:24.21.0-trixie-slim AS build
WORKDIR /lazaret
COPY . .
# First everything, to build the dashboard; then only what the server needs. The image brings its own Node, which the second
# installation leaves out.
RUN --mount=type=cache,target=/root/.npm \
    npm ci --ignore-scripts --no-audit --no-fund \
    && node packages/web/build.ts \
    && node packages/cli/build.ts \
    && rm -rf node_modules \
    && npm ci --ignore-scripts --omit=dev --workspace=packages/server --no-audit --no-fund \
    && rm -rf packages/benchmarks packages/tools packages/*/test packages/web/app

FROM node:24.21.0-trixie-slim
WORKDIR /lazaret
# Owned by root: the server cannot change its own program.
COPY --from=build /lazaret/package.json /lazaret/LICENSE ./
COPY --from=build /lazaret/node_modules ./node_modules
COPY --from=build /lazaret/packages ./packages
RUN install -d -o node -g node -m 0700 /data && ln -s /lazaret/packages/server/bin/lazaret.js /usr/local/bin/lazaret
USER node
# Less space for young objects: docs/decisions/0016-uploads.md.
ENV NODE_OPTIONS=--max-semi-space-size=16
ENV NODE_ENV=production HOST=0.0.0.0 PORT=4180 LAZARET_DATA_DIR=/data
VOLUME /data
EXPOSE 4180
HEALTHCHECK --interval=10s --timeout=3s --start-period=60s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/health/ready`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["lazaret"]
CMD ["serve"]
