import type { SourceTools } from '../catalog/snapshot.js';
import { scanTools } from './scan-tools.js';
import type { ToolFinding } from './tool-finding.js';

/** Findings of the current offer, computed on demand. */
export class FindingsBook {
  readonly #offered: () => readonly SourceTools[];
  readonly #natives: () => readonly string[];
  readonly #redact: (text: string) => string;
  #scanned: { readonly key: readonly unknown[]; readonly findings: readonly ToolFinding[] } | undefined;

  constructor(
    offered: () => readonly SourceTools[],
    natives: () => readonly string[],
    redact: (text: string) => string,
  ) {
    this.#offered = offered;
    this.#natives = natives;
    this.#redact = redact;
  }

  get all(): readonly ToolFinding[] {
    const [offered, natives] = [this.#offered(), this.#natives()];
    const key = [...natives, ...offered.flatMap(({ checked, instructions }) => [checked, instructions])];
    const known = this.#scanned;
    if (known !== undefined && isSameList(known.key, key)) return known.findings;
    const findings = Object.freeze(scanTools(offered, natives, this.#redact));
    this.#scanned = { key, findings };
    return findings;
  }
}

function isSameList(left: readonly unknown[], right: readonly unknown[]): boolean {
  return left.length === right.length && left.every((item, index) => item === right[index]);
}
