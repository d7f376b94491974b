import type { Io } from '../../command.js';
import type { Stack } from '../../compose.js';
import type { ControlBase } from '../../control/control-base.js';
import { watchSteps } from '../../control/start-steps.js';
import { printableLine, stylesFor } from '../print.js';
import { stepLine } from './start-tracker.js';

/** Prints on stderr a line per step of a start, with `isVerbose` also the servers' own lines. */
export function showSteps(
  { manager, redactor }: Pick<Stack, 'manager' | 'redactor'>,
  io: Io,
  { isVerbose }: { isVerbose: boolean },
): Disposable {
  const styles = stylesFor(io.stderr, io);
  const redact: ControlBase['redact'] = (text) => redactor.redact(text);
  const steps = watchSteps({ manager }, { redact }, (step) => {
    // The reason belongs here, because no outcome follows: servers continue to start while others are served.
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
