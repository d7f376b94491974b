import type { StartStep } from '../control/control.js';
import type { Io } from '../io.js';
import { printableLine } from './printable.js';
import { stylesFor } from './styles.js';

/** Tells on stderr how servers come up, a line per finished step: spawn, handshake, tools. */
export function stepPrinter(io: Io): (step: StartStep) => void {
  const { green, red, yellow, bold, dim } = stylesFor(io.stderr, io);
  const line = (step: StartStep): string => {
    const name = bold(step.server);
    switch (step.step) {
      case 'spawned':
        return `${green('✓')} ${name} spawned ${dim(`process ${step.pid}`)}`;
      case 'handshake':
        return `${green('✓')} ${name} handshake ${dim('done')}`;
      case 'ready': {
        const tools = `${step.tools} ${step.tools === 1 ? 'tool' : 'tools'}`;
        return `${green('✓')} ${name} ready ${dim(`${tools}, protocol ${step.protocolVersion}`)}`;
      }
      case 'failed':
        return `${step.isLast ? red('✗') : yellow('!')} ${name} ${printableLine(step.message, 500)}`;
    }
  };
  return (step) => io.stderr.write(`${line(step)}\n`);
}
