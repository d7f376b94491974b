import { ControlError } from '../control/control-error.js';

/** Error of `--watch` without a daemon: no status could change. */
export function nothingToWatch(): ControlError {
  return new ControlError('daemon-not-running', 'No daemon is running for this config, so there is nothing to watch.', {
    hint: 'Run "mcpx up" to start it.',
  });
}
