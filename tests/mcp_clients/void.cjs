// Void, as far as a server can tell: how it connects, what its light shows, and what its model gets to read.
//
// It tries Streamable HTTP on the address, then HTTP+SSE, with the same client; the light is green once the tools are
// listed. Of a result it takes the first block, and only if that is text; of an error, what JSON.stringify leaves.

const { Client } = require("sdk-of-void/client/index.js");
const { SSEClientTransport } = require("sdk-of-void/client/sse.js");
const { StreamableHTTPClientTransport } = require("sdk-of-void/client/streamableHttp.js");
const { main } = require("./asking.cjs");

main(async (way, questions) => {
  const client = new Client({ name: "strictcall-client", version: "0.1.0" });
  const tools = await listed(client, way.url);
  if (!tools) return { light: "red" };
  const reads = (wanted) => modelReads(client, wanted);
  return {
    light: "green",
    tools,
    call: await reads(questions.call),
    bad_call: await reads(questions.bad_call),
    unknown_tool: await reads(questions.unknown_tool),
    at_once: await Promise.all(questions.at_once.map(reads)),
  };
});

async function listed(client, url) {
  for (const Transport of [StreamableHTTPClientTransport, SSEClientTransport]) {
    try {
      // A string: the address comes from a JSON file, and nothing makes a URL of it.
      await client.connect(new Transport(url));
      return (await client.listTools()).tools;
    } catch {
      continue;
    }
  }
}

async function modelReads(client, wanted) {
  try {
    const { content, isError } = await client.callTool(wanted);
    if (isError || content[0].type !== "text") throw new Error(content[0].text);
    return content[0].text;
  } catch (error) {
    return `Failed to call tool: ${JSON.stringify(error)}`;
  }
}
