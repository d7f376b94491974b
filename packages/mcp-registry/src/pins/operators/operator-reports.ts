import { messageOf } from '@x/internal/errors';
import { knownUncheckedParts } from '@x/internal/json-schema';
import { publicName } from '@x/internal/names';
import { compareText, quote } from '@x/internal/text';
import type { ToolView } from '@x/internal/views';
import { loadEngineFor } from '../../arguments/pattern-engine.js';
import type { AuditFailure } from '../../audit/audit-recorder.js';
import type { Catalog } from '../../catalog/catalog.js';
import type { RegistryDiagnostic } from '../../catalog/diagnostics.js';
import type { SourceTools } from '../../catalog/snapshot.js';
import type { ToolDefinition } from '../../catalog/tool-view.js';
import { FindingsBook, findUncheckedArguments } from '../../findings/scan-tools.js';
import type { ToolFinding } from '../../findings/tool-finding.js';
import type { ToolPin } from '../pin-store.js';
import { definitionOf, INSTRUCTIONS, instructionsOf, toolDigest } from '../pinned-definition.js';
import { redactDiagnostic, redactFinding } from '../redaction/redacted-diagnostics.js';
import type {
  ApprovedText,
  DiffOptions,
  OfferedTool,
  PinFilter,
  SimilarTool,
  ToolReference,
} from '../registry-pins.js';
import type { TrustGate } from '../trust-gate.js';
import { trustDiagnostics } from './held-back.js';
import { invalidOverrides } from './invalid-overrides.js';
import { offeredTool } from './pin-changes.js';
import { nearestPin } from './similar-pins.js';
import { toolDiff } from './tool-diff.js';
import { unmatchedOverrides } from './unmatched-overrides.js';

export { explainTool } from '../../roles/explain-tool.js';
export { findAmbiguous, findUnmatched } from '../../roles/rule-diagnostics.js';
export { approvalOf, revocationOf } from './pin-changes.js';

const MAX_COMPARISONS = 100_000;

export class OperatorReports {
  readonly #gate: TrustGate;
  readonly #catalog: Catalog;
  readonly #findings: FindingsBook;

  constructor(gate: TrustGate, catalog: Catalog) {
    this.#gate = gate;
    this.#catalog = catalog;
    this.#findings = new FindingsBook(
      () => gate.offered,
      () => nativeNames(catalog),
      gate.redacted.text,
    );
  }

  /** All diagnostics, those of the app first. Without the secrets that servers repeat. */
  diagnostics(ofRules: readonly RegistryDiagnostic[], ofAudit?: AuditFailure): readonly RegistryDiagnostic[] {
    const all = [
      ...ofRules,
      ...trustDiagnostics(this.#gate),
      ...this.#gate.offered.flatMap((listing) => [...invalidOverrides(listing), ...unmatchedOverrides(listing)]),
      ...this.#catalog.diagnostics(),
      ...this.#findings.all,
      ...argumentDiagnostics(this.#catalog.current.tools),
    ];
    const { redacted } = this.#gate;
    const safe = redacted.isActive ? all.map((each) => redactDiagnostic(each, redacted.text)) : all;
    return ofAudit === undefined ? safe : [toDiagnostic(ofAudit), ...safe];
  }

  async list({ server, trust }: PinFilter): Promise<readonly OfferedTool[]> {
    const wanted = () => this.#gate.offered.filter(({ name }) => server === undefined || name === server);
    const loading = loadEngineFor(
      wanted().flatMap(({ checked }) => checked.tools.map(({ inputSchema }) => inputSchema)),
    );
    // Pauses only for a load, because new schemas may need the engine after a pause.
    if (loading !== undefined) await loading;
    const findings = groupByTool(this.#findings.all);
    const left = { comparisons: MAX_COMPARISONS };
    return wanted()
      .toSorted((one, other) => compareText(one.name, other.name))
      .flatMap((listing) => this.#listServer(listing, findings.get(listing.name), left))
      .filter((tool) => trust === undefined || tool.trust === trust);
  }

  diff(tool: ToolReference, { redact }: DiffOptions): string {
    const offered = offeredTool(this.#gate, tool);
    const { redacted } = this.#gate;
    const shown = definitionOf(redacted.of(offered).definition);
    const approved = this.#gate.known(tool.server)?.get(offered.name);
    return toolDiff(
      approved && redacted.pin(approved).definition,
      { ...shown, name: redacted.text(shown.name) },
      redact,
    );
  }

  #listServer(
    listing: SourceTools,
    findings: ReadonlyMap<string, readonly ToolFinding[]> | undefined,
    left: { comparisons: number },
  ): readonly OfferedTool[] {
    const { name: server, checked } = listing;
    const known = this.#gate.known(server) ?? new Map<string, ToolPin>();
    const offered = new Set(checked.tools.map(({ name }) => name));
    const instructions = instructionsOf(listing);
    const approvable = this.#gate.approvable(listing);
    // Mode `all` needs no approvals, so instructions are listed only for their findings.
    const isAdded = instructions !== undefined && !approvable.includes(instructions) && findings?.has(INSTRUCTIONS);
    return [...approvable, ...(isAdded ? [instructions] : [])]
      .toSorted((one, other) => compareText(one.name, other.name))
      .map((tool): OfferedTool => {
        const pin = known.get(tool.name);
        const unapprovable = this.#gate.redacted.obstacle(tool);
        const trust = this.#gate.trustOf(server, tool);
        const isCompared = trust === 'pending' && left.comparisons >= known.size;
        if (isCompared) left.comparisons -= known.size;
        const similarTo = isCompared ? findSimilar(server, tool, known, offered) : undefined;
        return {
          server,
          tool: tool.name,
          name: tool.name === INSTRUCTIONS ? `(instructions of ${server})` : publicName(server, tool.name),
          trust,
          digest: toolDigest(this.#gate.redacted.redactAgain(tool).definition),
          ...(unapprovable !== undefined && { unapprovable }),
          ...(pin && { approved: toApproved(pin) }),
          ...(similarTo && { similarTo }),
          findings: [...(findings?.get(tool.name) ?? []), ...findUncheckedArguments(server, tool)].map((finding) =>
            redactFinding(finding, this.#gate.redacted.text),
          ),
        };
      });
  }
}

function nativeNames({ current }: Catalog): readonly string[] {
  return current.tools.flatMap(({ server, name }) => (server === undefined ? [name] : []));
}

function findSimilar(
  server: string,
  tool: ToolDefinition,
  known: ReadonlyMap<string, ToolPin>,
  offered: ReadonlySet<string>,
): SimilarTool | undefined {
  const { pin, similarity = 0 } = nearestPin(tool, known.values()) ?? {};
  return pin && { server, tool: pin.tool, similarity, isOffered: offered.has(pin.tool) };
}

function toApproved({ digest, approvedAt, approvedBy }: ToolPin): ApprovedText {
  return { digest, at: approvedAt, by: approvedBy };
}

function groupByTool(
  findings: readonly ToolFinding[],
): ReadonlyMap<string, ReadonlyMap<string, readonly ToolFinding[]>> {
  const servers = new Map<string, Map<string, ToolFinding[]>>();
  for (const finding of findings) {
    const tools = servers.get(finding.server) ?? new Map<string, ToolFinding[]>();
    const ofTool = tools.get(finding.tool) ?? [];
    ofTool.push(finding);
    servers.set(finding.server, tools.set(finding.tool, ofTool));
  }
  return servers;
}

/** Tools whose calls are not fully checked. Known from the first call of each tool. */
function argumentDiagnostics(tools: readonly ToolView[]): readonly RegistryDiagnostic[] {
  return tools.flatMap(({ server, tool, inputSchema }): readonly RegistryDiagnostic[] => {
    const parts = knownUncheckedParts(inputSchema);
    if (parts.length === 0 || server === undefined) return [];
    const message = `Server ${quote(server)}: calls of ${quote(tool)} are not checked for ${parts.join('; ')}; the server has to do that`;
    return [{ code: 'unchecked-arguments', server, tool, message }];
  });
}

function toDiagnostic({ lost, cause }: AuditFailure): RegistryDiagnostic {
  const reason = messageOf(cause);
  const message = `The audit sink lost ${lost} ${lost === 1 ? 'event' : 'events'}; its last error: ${reason}`;
  return { code: 'audit-failed', lost, cause, message };
}
