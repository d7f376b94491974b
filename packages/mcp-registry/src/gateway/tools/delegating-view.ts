import type { ToolView } from '../../catalog/tool-view.js';
import type { ToolDescription } from '../../describe-tool.js';
import { PEEK, type Peekable, peekTools } from '../../peek-tools.js';
import type { RegistryView } from '../../view.js';

/** A view that is another one in all that a subclass does not say. */
export class DelegatingView implements RegistryView, Peekable {
  protected readonly view: RegistryView;

  constructor(view: RegistryView) {
    this.view = view;
  }

  get revision(): number {
    return this.view.revision;
  }

  get events(): RegistryView['events'] {
    return this.view.events;
  }

  list(): readonly ToolView[] {
    return this.view.list();
  }

  [PEEK](): readonly ToolView[] {
    return peekTools(this.view);
  }

  get(name: string): ToolView | undefined {
    return this.view.get(name);
  }

  describe(name: string): ToolDescription | undefined {
    return this.view.describe(name);
  }

  search(...request: Parameters<RegistryView['search']>): ReturnType<RegistryView['search']> {
    return this.view.search(...request);
  }

  call(...request: Parameters<RegistryView['call']>): ReturnType<RegistryView['call']> {
    return this.view.call(...request);
  }

  changes(...request: Parameters<RegistryView['changes']>): ReturnType<RegistryView['changes']> {
    return this.view.changes(...request);
  }
}
