// What the scripts for the TypeScript SDKs share: their clients have the same methods.
//
//     typescript1.cjs '{"way": {…how to connect…}, "questions": {…}}'    prints what was answered, as JSON

exports.main = async function main(connectAndAsk) {
  const { way, questions } = JSON.parse(process.argv[2]);
  const seen = await connectAndAsk(way, questions);
  // Not all of them end their connections by themselves.
  process.stdout.write(JSON.stringify(seen), () => process.exit());
};

exports.ask = async function ask(client, questions) {
  const call = (wanted) => answer(client.callTool(wanted));
  return {
    tools: await answer(client.listTools()),
    call: await call(questions.call),
    bad_call: await call(questions.bad_call),
    unknown_tool: await call(questions.unknown_tool),
    at_once: await Promise.all(questions.at_once.map(call)),
    prompts: await answer(client.listPrompts()),
    prompt: await answer(client.getPrompt(questions.prompt)),
    resources: await answer(client.listResources()),
    resource: await answer(client.readResource({ uri: questions.resource })),
    unknown_resource: await answer(client.readResource({ uri: questions.unknown_resource })),
    ping: await answer(client.ping()),
  };
};

async function answer(asked) {
  try {
    return await asked;
  } catch (error) {
    if (error.code === undefined) throw error;
    return { error: { code: error.code, message: error.message, data: error.data } };
  }
}
