// Type aliases, because an interface is no `Record<string, unknown>`.

/**
 * One part of a result, by its `type`. Of what a server sends, required fields are checked, optional ones of a wrong type
 * are left out, and other keys are kept.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/server/tools#tool-result
 */
export type ContentBlock = TextContent | ImageContent | AudioContent | EmbeddedResource | ResourceLink | OtherContent;

/** Optional fields of every block. */
export type ContentBase = {
  readonly annotations?: ContentAnnotations | undefined;
  readonly _meta?: Readonly<Record<string, unknown>> | undefined;
};

/** Hints of the server for clients. */
export type ContentAnnotations = {
  readonly audience?: readonly ('user' | 'assistant')[] | undefined;
  /** From 0, least important, to 1. */
  readonly priority?: number | undefined;
  /** As ISO 8601. */
  readonly lastModified?: string | undefined;
};

/** A text. */
export type TextContent = ContentBase & {
  readonly type: 'text';
  readonly text: string;
};

/** An image. */
export type ImageContent = ContentBase & {
  readonly type: 'image';
  /** Base64. */
  readonly data: string;
  /** Such as `image/png`. */
  readonly mimeType: string;
};

/** A sound. */
export type AudioContent = ContentBase & {
  readonly type: 'audio';
  /** Base64. */
  readonly data: string;
  /** Such as `audio/wav`. */
  readonly mimeType: string;
};

/** A resource with its content. */
export type EmbeddedResource = ContentBase & {
  readonly type: 'resource';
  readonly resource: ResourceContents;
};

/** The content of a resource: text, or binary data. */
export type ResourceContents = {
  readonly uri: string;
  readonly mimeType?: string | undefined;
  readonly text?: string | undefined;
  /** Base64. */
  readonly blob?: string | undefined;
  readonly _meta?: Readonly<Record<string, unknown>> | undefined;
};

/** A resource to read from the server. */
export type ResourceLink = ContentBase & {
  readonly type: 'resource_link';
  readonly uri: string;
  readonly name: string;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly mimeType?: string | undefined;
  /** Of the content, in bytes. */
  readonly size?: number | undefined;
  readonly icons?: readonly unknown[] | undefined;
};

/** A block of a type that this release does not know, as received. */
export interface OtherContent {
  readonly type: OtherContentType;
  readonly [key: string]: unknown;
}

/** Any text but the known types. An enum, because only such a type lets `block.type === 'text'` distinguish blocks. */
export declare enum OtherContentType {
  other = '',
}
