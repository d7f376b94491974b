import type { Io } from '../command.js';
import type { DaemonInfo } from '../control/reports.js';
import type { MetricsServer, MetricsServerOptions } from '../serving/metrics-server.js';
import { exportAsked } from '../telemetry/export-asked.js';
import { LateTelemetry } from '../telemetry/late-telemetry.js';
import type { CliTelemetry } from '../telemetry/open-telemetry.js';
import type { PrometheusMetrics } from '../telemetry/prometheus-metrics.js';

type MetricsReport = NonNullable<DaemonInfo['metrics']>;

interface DaemonTelemetryOptions {
  readonly env: Io['env'];
  readonly log: (line: string) => void;
}

/** Spans and metrics of a daemon. Loads nothing until an export or the metrics are requested. */
export class DaemonTelemetry implements AsyncDisposable {
  /** For the manager and for every gateway of this process. */
  readonly late = new LateTelemetry();
  readonly #options: DaemonTelemetryOptions;
  #server: MetricsServer | undefined;
  #served: MetricsReport | undefined;
  #exported: CliTelemetry | undefined;
  #metrics: Promise<PrometheusMetrics> | undefined;

  constructor(options: DaemonTelemetryOptions) {
    this.#options = options;
  }

  /** Where the daemon's own metrics are. */
  get served(): MetricsReport | undefined {
    return this.#served;
  }

  /**
   * Exports if the environment asks for it, and serves metrics if they were requested.
   *
   * @throws {CommandError} The port is in use, or the token file is invalid.
   */
  async start(metrics: MetricsServerOptions | undefined): Promise<void> {
    await this.#startExport();
    if (metrics === undefined) return;
    const { openMetricsServer } = await import('../serving/metrics-server.js');
    this.#server = await openMetricsServer(metrics, await this.metrics());
    this.#served = { url: this.#server.url, tokenFile: metrics.tokenFile };
  }

  async #startExport(): Promise<void> {
    const { env, log } = this.#options;
    if (exportAsked(env) === undefined) return;
    const { openTelemetry } = await import('../telemetry/open-telemetry.js');
    // Counted from the start, so that a later scraper cuts off nothing that is exported.
    const opened = await openTelemetry({ env, hasMetrics: true, consoleTo: undefined, warn: log });
    if (opened?.isExporting !== true) return;
    this.#exported = opened;
    this.late.use(opened.telemetry);
  }

  /** Metrics for Prometheus, counted from the first call on, and from the start if they are exported too. */
  metrics(): Promise<PrometheusMetrics> {
    this.#metrics ??= this.#count();
    return this.#metrics;
  }

  async #count(): Promise<PrometheusMetrics> {
    if (this.#exported?.metrics !== undefined) return this.#exported.metrics;
    const { scrapedTelemetry } = await import('../telemetry/open-telemetry.js');
    const { telemetry, metrics } = scrapedTelemetry();
    this.late.use(telemetry);
    return metrics;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server?.[Symbol.asyncDispose]();
    await this.#exported?.[Symbol.asyncDispose]();
  }
}
