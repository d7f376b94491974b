import type { Io } from '../../command.js';
import type { Stack } from '../../compose.js';
import type { ControlBase } from '../../control/control-base.js';
import { watchSteps } from '../../control/start-steps.js';
import { printNote } from '../fit.js';
import { printableLine, stylesFor } from '../print.js';
import { stepLine } from './start-tracker.js';

interface ShownStack extends Pick<Stack, 'config' | 'redactor'> {
  readonly manager: Pick<Stack['manager'], 'events' | 'servers'>;
}

/** Prints on stderr a line per step of a start, with `isVerbose` also the servers' own lines. */
export function showSteps(stack: ShownStack, io: Io, { isVerbose }: { isVerbose: boolean }): Disposable {
  const { manager, redactor } = stack;
  const watched = {
    manager,
    env: io.env,
    get config() {
      return stack.config; // an edit replaces it
    },
  };
  const styles = stylesFor(io.stderr, io);
  const redact: ControlBase['redact'] = (text) => redactor.redact(text);
  const isShown = (server: string): boolean => manager.servers().some(({ name }) => name === server);
  const steps = watchSteps(watched, { redact }, (step) => {
    // The reason belongs here, because no outcome follows: servers continue to start while others are served.
    const why = step.step === 'failed' ? `: ${printableLine(step.message, 500)}` : '';
    printNote(`${stepLine(step, styles)}${why}`, io);
  });
  const stderr = manager.events.on('server-stderr', ({ server, line }) => {
    if (isVerbose && isShown(server))
      io.stderr.write(`${styles.dim(`  ${server} | ${printableLine(redact(line), 500)}`)}\n`);
  });
  return {
    [Symbol.dispose]: () => {
      steps[Symbol.dispose]();
      stderr[Symbol.dispose]();
    },
  };
}
