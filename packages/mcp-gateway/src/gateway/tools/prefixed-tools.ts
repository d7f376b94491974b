import type { ToolCallResult } from '@x/internal/contracts';
import { peekTool, ViewDecorator } from '@x/internal/views';
import type { RegistryView } from '../../views/view.js';
import { toGatewayUri } from '../naming/resource-uris.js';
import { rewriteContent } from '../naming/rewrite-content.js';

/** The tools of a view, with resource URIs in results in the clients' form. */
export class PrefixedTools extends ViewDecorator<RegistryView> {
  override async call(...[name, ...request]: Parameters<RegistryView['call']>): Promise<ToolCallResult> {
    const server = peekTool(this.inner, name)?.server;
    const result = await this.inner.call(name, ...request);
    // The app's own tools refer to resources of no server.
    return server === undefined ? result : rewriteContent(result, (uri) => toGatewayUri({ server, uri }));
  }
}
