/** @param {{ clients?: object, models?: object, peers?: object[] }} data - Of docs/works-with.json. */
export function worksWithPage({ clients, models, peers }) {
  return `# Works with

Programs that people use, run with this project at their newest versions. A workflow runs all of them each night, without an account at any
model's provider, and makes this page of the results.

${clients ? clientsPart(clients) : ''}${models ? modelsPart(models) : ''}${peers ? peersPart(peers, clients) : ''}## Make it again

One command, which needs the npm registry, writes \`docs/works-with.json\` and this page. Its halves are \`check:clients\` and \`check:models\`.

\`\`\`sh
npx -y pnpm@12.21.0 run docs:works-with
\`\`\`

How the files of host apps are checked with the programs that read them is in [another page](sync-host-configs.md#how-each-host-is-known).
`;
}

function clientsPart({ date, programs }) {
  return `## Clients of a gateway

Each client connects to \`mcpx serve\` over stdio, and over HTTP with a token. Behind it is the server
[everything](https://www.npmjs.com/package/@modelcontextprotocol/server-everything) of the protocol's project. A coding agent gets the gateway in
its config by [host sync](sync-host-configs.md), and a model that a local server plays: the model is offered the tools of the gateway and calls
one, and the agent sends it the result. Run on ${date}.

${tableOf(programs)}

`;
}

function modelsPart({ date, programs }) {
  return `## SDKs of model APIs

Each program gets [the tools in the SDK's form](model-apis.md) and runs the SDK against a server that records the requests to the provider. The
tool answers with a text and a picture, and the recorded requests must have its definition and both parts of its result. Programs with
\`deferred\` in their name start with a search tool, and the model finds the tool. Each major version is run at its newest version and at the
oldest that is supported. Run on ${date}.

${tableOf(programs)}

`;
}

function peersPart(peers, { date }) {
  return `## Versions in comparisons

The [benchmarks](benchmarks.md) measure these versions of other libraries and commands. The newest versions are those of the npm registry on
${date}.

| Package | Measured | Newest |
| --- | --- | --- |
${peers.map(({ name, measured, newest }) => `| \`${name}\` | ${measured} | ${newest} |`).join('\n')}

`;
}

function tableOf(programs) {
  const rows = programs.map(
    ({ program, version, tried, failed }) =>
      `| ${program} | ${version} | ${triedText(tried)} | ${resultText(failed)} |`,
  );
  return ['| Program | Version | Tried | Result |', '| --- | --- | --- | --- |', ...rows].join('\n');
}

/** Ways with equal lists share one. */
function triedText(tried) {
  const ways = new Map();
  for (const [way, list] of Object.entries(tried)) {
    const text = list.join(', ');
    ways.set(text, [...(ways.get(text) ?? []), way]);
  }
  return [...ways].map(([text, names]) => `${names.join(' and ')}: ${text}`).join('; ');
}

function resultText(failed) {
  return failed.length === 0 ? 'works' : `**fails**: ${failed.join('; ')}`;
}
