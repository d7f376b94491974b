// What every client gets from the gateway in front of the server "everything".

/** By what is tried: throws unless a client's answer has what the gateway offers. */
export const expected = {
  'lists tools': ({ tools }) => {
    for (const name of ['search_mcp_tools', 'mcp__everything__echo']) expectIn(name, namesOf(tools));
  },
  'calls a tool': ({ content }) => expectIn('Echo: hello', content[0].text),
  'lists resources': ({ resources }) => expectIn('mcp+everything:', resources[0].uri),
  'lists templates': ({ resourceTemplates }) => expectIn('mcp+everything:', resourceTemplates[0].uriTemplate),
  'reads a resource': ({ contents }) => expectIn('mcp+everything:', contents[0].uri),
  'lists prompts': ({ prompts }) => expectIn('mcp__everything__simple-prompt', namesOf(prompts)),
  'gets a prompt': ({ messages }) => expectIn('user', messages[0].role),
};

export function expectIn(part, whole) {
  if (!whole?.includes(part)) throw new Error(`Expected ${JSON.stringify(part)} in ${JSON.stringify(whole)}`);
}

function namesOf(list) {
  return list.map(({ name }) => name);
}
