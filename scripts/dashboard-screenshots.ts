// Makes the pictures of docs/dashboard.md: starts servers, calls tools, and photographs the page in Chromium.
import { mkdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { openPage, startBrowser } from '../packages/mcp-cli/test/helpers/browser.js';
import { dashboardStage } from '../packages/mcp-cli/test/helpers/dashboard-stage.js';
