// Starts a process that inherits all three pipes and outlives it. --stubborn: it ignores SIGTERM; --new-session: it
// leaves the process group.
import { spawn } from 'node:child_process';
import { parseArgs } from 'node:util';
import { echoTool, pidTool, serve } from '../../serving/json-lines.js';

const { values } = parseArgs({
  options: { stubborn: { type: 'boolean', default: false }, 'new-session': { type: 'boolean', default: false } },
});

const program = `${values.stubborn ? "process.on('SIGTERM', () => undefined);" : ''} setInterval(() => undefined, 60_000);`;
const grandchild = spawn(process.execPath, ['-e', program], { stdio: 'inherit', detached: values['new-session'] });
grandchild.unref();

serve({
  tools: [
    echoTool,
    pidTool,
    { name: 'grandchild', description: 'Process id of the grandchild', run: () => String(grandchild.pid) },
  ],
});
