// A client on @modelcontextprotocol/sdk 1.x; `way.sdk` is the name under which package.json has the version.

const { ask, main } = require("./asking.cjs");

main(async (way, questions) => {
  const sdk = (module) => require(`${way.sdk}/client/${module}.js`);
  class Client extends sdk("index").Client {
    async request(request, ...rest) {
      const result = await super.request(request, ...rest);
      this.version ??= result.protocolVersion; // nobody but the transport is told
      return result;
    }
  }
  const transport = {
    stdio: () => new (sdk("stdio").StdioClientTransport)(way),
    sse: () => new (sdk("sse").SSEClientTransport)(new URL(way.url)),
    http: () => new (sdk("streamableHttp").StreamableHTTPClientTransport)(new URL(way.url)),
  }[way.transport]();
  const client = new Client({ name: "typescript1", version: "1.0.0" });
  await client.connect(transport);
  return { version: client.version, server: client.getServerVersion().name, ...(await ask(client, questions)) };
});
