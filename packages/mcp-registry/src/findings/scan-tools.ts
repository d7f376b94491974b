import { uncheckedParts } from '@x/internal/json-schema';
import { escapeHidden, quote } from '@x/internal/text';
import type { SourceTools } from '../catalog/snapshot.js';
import type { ToolDefinition } from '../catalog/tool-view.js';
import { INSTRUCTIONS, instructionsOf } from '../pins/pinned-definition.js';
import { collectLookAlikes, collectNames, listNames } from './look-alike-names.js';
import { findOtherTools } from './other-tools.js';
import { scanTool } from './scan-tool.js';
import type { FindingDraft, ToolFinding } from './tool-finding.js';

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

const MAX_UNCHECKED = 5;

/**
 * Findings in the texts of sources' tools and servers' instructions.
 *
 * @param natives - Names of the app's tools, which servers may imitate or mention.
 * @param redact - Removes secrets from fields and excerpts; the original texts are scanned.
 */
export function scanTools(
  offered: readonly SourceTools[],
  natives: readonly string[],
  redact: (text: string) => string = (text) => text,
): readonly ToolFinding[] {
  const servers = listNames(offered, natives);
  const names = collectNames(servers);
  const lookAlikes = collectLookAlikes(servers);
  return offered.flatMap((listing) => {
    const { name: server, checked } = listing;
    const ofTools = checked.tools.flatMap((tool) =>
      [
        ...lookAlikes.find(server, tool.name),
        ...scanTool(tool, redact).findings,
        ...findOtherTools(tool, scanTool(tool, redact), { server, names }),
      ].map((draft) => toFinding(server, tool, draft)),
    );
    const instructions = instructionsOf(listing);
    if (instructions === undefined) return ofTools;
    const scan = scanTool(instructions, redact);
    const drafts = [...scan.findings, ...findOtherTools(instructions, scan, { server, names })];
    const ofInstructions = drafts.map((draft) => toFinding(server, instructions, { ...draft, field: 'instructions' }));
    return [...ofTools, ...ofInstructions];
  });
}

/** Parts of a tool's input schema that calls are not checked against. Compiles the schema. */
export function findUncheckedArguments(server: string, tool: ToolDefinition): readonly ToolFinding[] {
  const parts = uncheckedParts(tool.inputSchema);
  if (parts.length === 0) return [];
  const what = `calls are not checked for ${parts.slice(0, MAX_UNCHECKED).join('; ')}`;
  return [toFinding(server, tool, { code: 'unchecked-arguments', severity: 'low', field: 'inputSchema', what })];
}

function toFinding(
  server: string,
  { name: tool }: ToolDefinition,
  { what, field, ...draft }: FindingDraft,
): ToolFinding {
  const place = field === '' || field === 'name' ? '' : `, ${field}`;
  const subject = tool === INSTRUCTIONS ? '' : `, tool ${quote(tool)}`;
  const message = escapeHidden(`Server ${quote(server)}${subject}${place}: ${what}`);
  return Object.freeze({ ...draft, server, tool, field, message });
}
