import { existsSync } from 'node:fs';

/** The one without windows takes half of the work. */
const places = [
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

/**
 * Path of Chromium or Chrome on this machine: `CHROMIUM`, a usual place, or one of `more`.
 *
 * @throws {Error} There is none.
 */
export function chromiumPath(...more) {
  const found = [process.env.CHROMIUM, ...places, ...more].find((path) => path !== undefined && existsSync(path));
  if (found === undefined) throw new Error('There is no Chromium; set CHROMIUM to its path');
  return found;
}
