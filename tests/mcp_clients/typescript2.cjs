// A client on @modelcontextprotocol/client 2.x, in either era of the protocol: it keeps to the old one unless told otherwise.

const { Client, SSEClientTransport, StreamableHTTPClientTransport } = require("@modelcontextprotocol/client");
const { StdioClientTransport } = require("@modelcontextprotocol/client/stdio");
const { ask, main } = require("./asking.cjs");

main(async (way, questions) => {
  const transport = {
    stdio: () => new StdioClientTransport(way),
    sse: () => new SSEClientTransport(new URL(way.url)),
    http: () => new StreamableHTTPClientTransport(new URL(way.url)),
  }[way.transport]();
  const client = new Client({ name: "typescript2", version: "1.0.0" }, { versionNegotiation: { mode: way.era } });
  await client.connect(transport);
  return {
    version: client.getNegotiatedProtocolVersion(),
    server: client.getServerVersion().name,
    ...(await ask(client, questions)),
  };
});
