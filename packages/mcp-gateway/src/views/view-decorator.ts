import type { CallToolOptions, ToolArguments, ToolCallResult } from '@x/internal/contracts';
import { PEEK, type Peekable, peekTools, type ToolView } from '@x/internal/views';
import type { RegistryView, ViewEvents } from './view.js';

/** Passes everything to the view `inner`. A subclass overrides what differs. */
export class ViewDecorator implements RegistryView, Peekable {
  protected readonly inner: RegistryView;

  constructor(inner: RegistryView) {
    this.inner = inner;
  }

  get events(): ViewEvents {
    return this.inner.events;
  }

  list(): readonly ToolView[] {
    return this.inner.list();
  }

  [PEEK](): readonly ToolView[] {
    return peekTools(this.inner);
  }

  get(name: string): ToolView | undefined {
    return this.inner.get(name);
  }

  call(name: string, args?: ToolArguments, options?: CallToolOptions): Promise<ToolCallResult> {
    return this.inner.call(name, args, options);
  }
}
