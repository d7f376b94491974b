export interface WaitOptions {
  readonly signal?: AbortSignal | undefined;
}
