import { copyJson, isRecord, isSameJson } from '@x/internal/json';
import type { SourceTools } from '../catalog/snapshot.js';
import type { ToolDefinition } from '../catalog/tool-view.js';
import { DEFINITION_LIMITS } from './check-pins.js';
import type { ToolPin } from './pin-store.js';
import { PINNED_FIELDS, type PinnedDefinition, toolDigest } from './pinned-definition.js';

/** Takes the secrets out of plain data. */
export type RedactData = (value: unknown) => unknown;

const NOT_KEPT = '[not kept: it could not be redacted]';

/**
 * Tools as they are pinned: without the secrets that their server repeats in them. So a pin holds no secret, and another
 * value of a secret is no other tool. Only the own name of a tool stays, since its pin is found by that.
 */
export class RedactedTools {
  readonly #redact: RedactData | undefined;
  readonly #tools = new WeakMap<ToolDefinition, ToolDefinition>();
  readonly #listings = new WeakMap<SourceTools, SourceTools>();

  constructor(redact: RedactData | undefined) {
    this.#redact = redact;
  }

  /** The tool itself if there is nothing to take out. */
  of(tool: ToolDefinition): ToolDefinition {
    const known = this.#tools.get(tool) ?? this.anew(tool);
    this.#tools.set(tool, known);
    return known;
  }

  /** As `of`, with the secrets that are known by now. */
  anew<Definition extends ToolDefinition | PinnedDefinition>(tool: Definition): Definition {
    const redact = this.#redact;
    if (redact === undefined) return tool;
    const changed = PINNED_FIELDS.flatMap((field): readonly [string, unknown][] => {
      if (field === 'name' || tool[field] === undefined) return [];
      const value = careful(redact, tool[field]);
      return isSameJson(value, tool[field]) ? [] : [[field, value]];
    });
    if (changed.length === 0) return tool;
    // Frozen all the way down, as tools of the catalog are.
    return Object.freeze({ ...tool, ...(copyJson(Object.fromEntries(changed), DEFINITION_LIMITS) as object) });
  }

  /** The pin itself if there is nothing to take out. */
  pin(pin: ToolPin): ToolPin {
    const definition = this.anew(pin.definition);
    return definition === pin.definition ? pin : Object.freeze({ ...pin, definition, digest: toolDigest(definition) });
  }

  /** Whether a tool's pin would have a secret in its name. */
  isNamedBySecret({ name }: ToolDefinition): boolean {
    return this.#redact !== undefined && careful(this.#redact, name) !== name;
  }

  listing(listing: SourceTools): SourceTools {
    if (this.#redact === undefined) return listing;
    const known = this.#listings.get(listing) ?? this.#listingOf(listing, this.#redact);
    this.#listings.set(listing, known);
    return known;
  }

  #listingOf(listing: SourceTools, redact: RedactData): SourceTools {
    const { checked, instructions } = listing;
    const tools = checked.tools.map((tool) => this.of(tool));
    const hidden = instructions === undefined ? undefined : careful(redact, instructions);
    return { ...listing, checked: { ...checked, tools }, ...(typeof hidden === 'string' && { instructions: hidden }) };
  }
}

/** What a redactor that throws would have taken out is not known. */
function careful(redact: RedactData, value: unknown): unknown {
  try {
    return redact(value);
  } catch {
    return isRecord(value) ? {} : NOT_KEPT;
  }
}
