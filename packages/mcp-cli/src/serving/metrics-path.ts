/** The path of the metrics. */
export const metricsPath = '/metrics';
