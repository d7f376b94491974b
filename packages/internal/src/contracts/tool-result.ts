/** The result of `tools/call`. `isError` marks a failure that the model should see and act on. */
export interface ToolCallResult {
  readonly content: readonly ContentBlock[];
  readonly structuredContent?: unknown;
  readonly isError?: boolean | undefined;
  readonly _meta?: Readonly<Record<string, unknown>> | undefined;
  readonly [key: string]: unknown;
}

/** Text, image, audio, resource or resource link, as the protocol defines them. */
export interface ContentBlock {
  readonly type: string;
  readonly [key: string]: unknown;
}

/** `notifications/progress` without its token. */
export interface ToolProgress {
  readonly progress: number;
  readonly total?: number | undefined;
  readonly message?: string | undefined;
}
