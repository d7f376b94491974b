import type { ToolCallResult } from '@x/internal/contracts';
import { peekTool, ViewDecorator } from '@x/internal/views';
import type { RegistryView } from '../../registry.js';
import { toGatewayUri } from '../naming/resource-uris.js';
import { rewriteContent } from '../naming/rewrite-content.js';

/** Rewrites resource URIs in results. */
export class PrefixedTools extends ViewDecorator<RegistryView> {
  override async call(...[name, ...request]: Parameters<RegistryView['call']>): Promise<ToolCallResult> {
    const server = peekTool(this.inner, name)?.server;
    const result = await this.inner.call(name, ...request);
    // The app's own tools have no server.
    return server === undefined ? result : rewriteContent(result, (uri) => toGatewayUri({ server, uri }));
  }
}
