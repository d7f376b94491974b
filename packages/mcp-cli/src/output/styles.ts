import picocolors from 'picocolors';
import type { Io, OutputStream } from '../io.js';

export type Styles = ReturnType<typeof picocolors.createColors>;

/** Colours for one stream: on a terminal only, and never with NO_COLOR. @see https://no-color.org */
export function stylesFor(stream: OutputStream, { env }: Pick<Io, 'env'>): Styles {
  const isForced = env.FORCE_COLOR !== undefined && env.FORCE_COLOR !== '' && env.FORCE_COLOR !== '0';
  const isForbidden = env.NO_COLOR !== undefined && env.NO_COLOR !== '';
  return picocolors.createColors(!isForbidden && (isForced || stream.isTTY === true));
}
