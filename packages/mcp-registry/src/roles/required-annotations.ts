import type { ToolAnnotations } from '@x/internal/contracts';

export const HINTS = ['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint'] as const;

/** Annotations of the protocol. */
export type AnnotationHint = (typeof HINTS)[number];

/** Annotations that a tool must declare. */
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
 * A tool's annotations with the protocol's defaults: it changes things, destroys things and reaches out. A read-only
 * tool is not destructive; one that declares both counts as destructive.
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
