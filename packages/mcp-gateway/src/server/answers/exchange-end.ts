export class ExchangeEnd {
  readonly #over: ((isTaken: boolean) => void)[] = [];
  readonly #dropped: ((reason: Error) => void)[] = [];

  /** @param listener - `isTaken`: the response was read to its end. */
  onOver(listener: (isTaken: boolean) => void): void {
    this.#over.push(listener);
  }

  /** Called before `onOver` if the response was dropped because its client does not read. */
  onDropped(listener: (reason: Error) => void): void {
    this.#dropped.push(listener);
  }

  /** Idempotent. */
  over(isTaken: boolean): void {
    for (const listener of this.#over.splice(0)) listener(isTaken);
  }

  dropped(reason: Error): void {
    for (const listener of this.#dropped.splice(0)) listener(reason);
  }
}
