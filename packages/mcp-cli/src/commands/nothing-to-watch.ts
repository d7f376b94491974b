import { ControlError } from '../control/control-error.js';

/** Without a daemon nothing could ever change. */
export function nothingToWatch(): ControlError {
  return new ControlError('daemon-not-running', 'No daemon runs for this config, so there is nothing to watch.', {
    hint: 'Run "mcpx up" to start it.',
  });
}
