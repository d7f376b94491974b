const entry = '{"mcpServers":{"mcpx":{"command":"mcpx","args":["serve"]}}}';
const command = 'the command "mcpx" with the argument "serve"';

/** Hosts that keep their servers where no other program should write: what to enter there for the gateway. */
const places: Readonly<Record<string, string>> = {
  'cherry-studio': `import ${entry} in Settings › MCP Servers`,
  eclipse: `enter ${command} in the preferences of GitHub Copilot`,
  emacs: `for mcp.el, evaluate (setq mcp-hub-servers '(("mcpx" . (:command "mcpx" :args ("serve")))))`,
  'open-webui': 'run "mcpx serve --http", and enter its address in Admin Settings › External Tools',
  raycast: `enter ${command} in its command Install MCP Server`,
};

const aliases: Readonly<Record<string, string>> = { 'copilot-eclipse': 'eclipse' };

/** What to do in a host without a file to write; `undefined` for all other names. */
export function byHand(name: string): string | undefined {
  const known = Object.hasOwn(aliases, name) ? (aliases[name] ?? name) : name;
  const advice = Object.hasOwn(places, known) ? places[known] : undefined;
  // Apps that are started from a desktop have a short PATH.
  return advice?.includes('"mcpx"') ? `${advice}. If the app does not find mcpx, give its absolute path` : advice;
}
