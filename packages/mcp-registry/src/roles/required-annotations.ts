import type { ToolAnnotations } from '@x/internal/contracts';

export const HINTS = ['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint'] as const;

/** What a tool may say of itself, by the protocol. */
export type AnnotationHint = (typeof HINTS)[number];

/** What a tool must say of itself. */
export type RequiredAnnotations = { readonly [Hint in AnnotationHint]?: boolean | undefined };

/** The first requirement that a tool does not meet. */
export function unmetHint(
  required: RequiredAnnotations | undefined,
  annotations: ToolAnnotations | undefined,
): AnnotationHint | undefined {
  if (required === undefined) return undefined;
  const said = hintsOf(annotations);
  return HINTS.find((hint) => required[hint] !== undefined && required[hint] !== said[hint]);
}

/**
 * What a tool says of itself, with what the protocol takes for said where it says nothing: that it changes things,
 * destroys things and reaches out. A tool that only reads destroys nothing; one that says both is believed the worse.
 */
function hintsOf(annotations: ToolAnnotations | undefined): Readonly<Record<AnnotationHint, boolean>> {
  const { readOnlyHint, destructiveHint, idempotentHint, openWorldHint } = annotations ?? {};
  const isReadOnly = readOnlyHint === true && destructiveHint !== true;
  return {
    readOnlyHint: isReadOnly,
    destructiveHint: !isReadOnly && destructiveHint !== false,
    idempotentHint: idempotentHint === true || (isReadOnly && idempotentHint !== false),
    openWorldHint: openWorldHint !== false,
  };
}
