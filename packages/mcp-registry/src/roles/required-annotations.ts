import type { ToolAnnotations } from '@x/internal/contracts';

export const HINTS = ['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint'] as const;

/** Annotations of the protocol. */
export type AnnotationHint = (typeof HINTS)[number];

/** Annotations that a tool must declare. */
export type RequiredAnnotations = { readonly [Hint in AnnotationHint]?: boolean | undefined };

export function unmetHint(
  required: RequiredAnnotations | undefined,
  annotations: ToolAnnotations | undefined,
): AnnotationHint | undefined {
  if (required === undefined) return undefined;
  const said = hintsOf(annotations);
  return HINTS.find((hint) => required[hint] !== undefined && required[hint] !== said[hint]);
}

/**
 * Annotations with the protocol's defaults: not read-only, destructive, open world. Read-only tools are not
 * destructive, unless they declare both.
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
