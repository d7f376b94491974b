// For runtimes with processes: Node, Deno, Bun.
import { useRegistry } from './program.mjs';

const faults = await useRegistry();
if (faults.length > 0) throw new Error(faults.join('\n'));
console.log('ok');
