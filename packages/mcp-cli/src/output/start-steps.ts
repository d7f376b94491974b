import type { Stack } from '../compose.js';
import type { ControlBase } from '../control/control-base.js';
import { watchSteps } from '../control/start-steps.js';
import type { Io } from '../io.js';
import { printableLine } from './printable.js';
import { stepLine } from './start-tracker.js';
import { stylesFor } from './styles.js';

/**
 * Tells on stderr how servers start, a line per finished step: spawn, handshake, tools. With `isVerbose` also what
 * the servers write to their own stderr.
 */
export function showSteps(
  { manager, redactor }: Pick<Stack, 'manager' | 'redactor'>,
  io: Io,
  { isVerbose }: { isVerbose: boolean },
): Disposable {
  const styles = stylesFor(io.stderr, io);
  const redact: ControlBase['redact'] = (text) => redactor.redact(text);
  const steps = watchSteps({ manager }, { redact }, (step) => {
    // There is no outcome that a failure would come with: servers go on starting while others are served.
    const why = step.step === 'failed' ? `: ${printableLine(step.message, 500)}` : '';
    io.stderr.write(`${stepLine(step, styles)}${why}\n`);
  });
  const stderr = manager.events.on('server-stderr', ({ server, line }) => {
    if (isVerbose) io.stderr.write(`${styles.dim(`  ${server} | ${printableLine(redact(line), 500)}`)}\n`);
  });
  return {
    [Symbol.dispose]: () => {
      steps[Symbol.dispose]();
      stderr[Symbol.dispose]();
    },
  };
}
