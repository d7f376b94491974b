/** @param {{ suite: string, client?: object, server?: object }} data */
export function conformancePage({ suite, client, server = {} }) {
  return `# Conformance

Results of the protocol's official conformance suite, \`@modelcontextprotocol/conformance\` ${suite}. How they are measured, and what is not
run, is in [the decision](decisions/conformance.md). Each cell has the checks that passed, out of those that the suite made.

${client ? clientsPart(client) : ''}## Servers, directly and through a gateway

One server of both eras, reached directly and through \`mcpx serve\`: over stdio in each era, and by URL with the entry's defaults. With
\`older tools\`, its tools ask the client with requests of their own, which only the revisions before 2026-07-28 have. The server of the
\`independent\` runs is on [tmcp](https://www.npmjs.com/package/tmcp), which is neither ours nor the protocol's SDK. It lacks tasks and some
checks of requests. What it passes directly in these runs also passes through the gateway, which passes some that the server fails.

${tableOf(server)}

One check is not made through a gateway to a server over stdio, in \`server-sse-polling\` of 2025-11-25: there a tool ends the stream of its
own call, and such a server has no stream. One is made through a gateway alone, in \`server-sse-multiple-streams\` of 2026-07-28: the gateway
sends results as a stream to clients that list streams first, and our server has JSON for them.

## Make it again

One command, which needs the npm registry, writes \`docs/conformance.json\` and this page. Its halves, \`check:conformance\` and \`check:server-conformance\`, fail without \`--write\` if the results differ.

\`\`\`sh
npx -y pnpm@12.21.0 run docs:conformance
\`\`\`
`;
}

function tableOf(runs) {
  const targets = [...new Set(Object.values(runs).flatMap((run) => Object.keys(run)))];
  const rows = Object.entries(runs).map(([name, results]) => {
    const [{ scenarios }] = Object.values(results);
    const cells = targets.map((target) =>
      results[target] ? `${results[target].passed} of ${results[target].counted}` : '',
    );
    return [name, scenarios, ...cells];
  });
  const head = ['Run', 'Scenarios', ...targets];
  const line = (cells) => `| ${cells.join(' | ')} |`;
  return [line(head), line(['---', ...head.slice(1).map(() => '---:')]), ...rows.map(line)].join('\n');
}

function clientsPart(client) {
  return `## Clients

The client manager beside the bare client of the protocol's SDK. The manager has to pass each check that the SDK's client passes.

${tableOf(client)}

`;
}
