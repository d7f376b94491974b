import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';

/** The launches that the user has agreed to, as digests in a file: a launch may contain values of variables. */
export class Consents {
  readonly #file: string;
  readonly #digests: Set<string>;

  constructor(file: string) {
    this.#file = file;
    this.#digests = new Set(existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : []);
  }

  has(launch: object): boolean {
    return this.#digests.has(digestOf(launch));
  }

  add(launch: object): void {
    this.#digests.add(digestOf(launch));
    writeFileSync(this.#file, JSON.stringify([...this.#digests]), { mode: 0o600 });
  }
}

/** Of the whole launch: a changed argument or variable is another launch. */
function digestOf(launch: object): string {
  return createHash('sha256').update(JSON.stringify(launch)).digest('base64url');
}
