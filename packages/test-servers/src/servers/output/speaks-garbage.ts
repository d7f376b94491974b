// Writes garbage to stdout before, between and after its messages, and splits these in two.
import { echoTool, pidTool, serve, writeBlocking } from '../../serving/json-lines.js';

/** Lines that a client must ignore, including two blank ones. */
const garbage = [
  'Starting the server, please wait...',
  '\u001b[32mready\u001b[0m on \u001b]8;;http://localhost\u0007localhost\u001b]8;;\u0007',
  '',
  '   ',
  '{"jsonrpc":"2.0","id":',
  '42',
  'null',
  '"a string"',
  '{"hello":"world"}',
  '[{"jsonrpc":"2.0","id":0,"result":{}}]',
  '{"jsonrpc":"1.0","id":0,"result":{"content":[]}}',
  '{"id":0,"result":{"content":[]}}',
  '{"jsonrpc":"2.0","id":"never asked","result":{}}',
  '{"jsonrpc":"2.0","method":"notifications/made_up"}',
];

writeBlocking(1, `${garbage.join('\n')}\n`);
serve({
  tools: [
    echoTool,
    pidTool,
    { name: 'garbage', description: 'The lines of garbage as JSON', run: () => JSON.stringify(garbage) },
  ],
  write: (line) => {
    const middle = Math.floor(line.length / 2);
    // One chunk ends in the middle of a message; the line end is CRLF.
    writeBlocking(1, `${garbage.join('\n')}\n${line.slice(0, middle)}`);
    writeBlocking(1, `${line.slice(middle)}\r\n`);
  },
});
