// Closes its stdout and keeps running: when the tool `close` is called, or with --at-start before the handshake.
// --stubborn: also stays when stdin ends.
import { closeSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { noAnswer, serve } from './json-lines.js';
import { echoTool, pidTool } from './plain-tools.js';
import { writeBlocking } from './write-blocking.js';

const { values } = parseArgs({
  options: { 'at-start': { type: 'boolean', default: false }, stubborn: { type: 'boolean', default: false } },
});
let isOpen = true;

if (values['at-start']) close();
setInterval(() => undefined, 60_000);

serve({
  tools: [
    echoTool,
    pidTool,
    {
      name: 'close',
      description: 'Closes stdout; nothing is answered from then on',
      run: () => {
        close();
        return noAnswer;
      },
    },
  ],
  // Directly on the descriptor: a stream of Node would keep it open.
  write: (line) => {
    if (isOpen) writeBlocking(1, `${line}\n`);
  },
  ...(values.stubborn && { onEnd: () => undefined }),
});

function close(): void {
  isOpen = false;
  closeSync(1);
}
