import type { CallToolOptions, ToolArguments, ToolCallResult } from '../contracts.js';
import { INTERCEPTORS, type Intercepted, interceptorsOf, type ViewInterceptors } from './interceptors.js';
import type { ToolView } from './tool-view.js';
import {
  INSTRUCTIONS,
  type Instructing,
  instructionsIn,
  PEEK,
  type Peekable,
  peekTools,
  type ServerInstructions,
} from './view-keys.js';

interface View {
  list(): readonly ToolView[];
  get(name: string): ToolView | undefined;
  call(name: string, args?: ToolArguments, options?: CallToolOptions): Promise<ToolCallResult>;
  readonly events: unknown;
}

/** Forwards everything to the view `inner`. A subclass overrides the differences. */
export class ViewDecorator<Inner extends View> implements View, Peekable, Instructing, Intercepted {
  protected readonly inner: Inner;

  constructor(inner: Inner) {
    this.inner = inner;
  }

  get events(): Inner['events'] {
    return this.inner.events;
  }

  list(): readonly ToolView[] {
    return this.inner.list();
  }

  [PEEK](): readonly ToolView[] {
    return peekTools(this.inner);
  }

  get [INTERCEPTORS](): ViewInterceptors | undefined {
    return interceptorsOf(this.inner);
  }

  [INSTRUCTIONS](): readonly ServerInstructions[] {
    return instructionsIn(this.inner);
  }

  get(name: string): ToolView | undefined {
    return this.inner.get(name);
  }

  call(name: string, args?: ToolArguments, options?: CallToolOptions): Promise<ToolCallResult> {
    return this.inner.call(name, args, options);
  }
}
