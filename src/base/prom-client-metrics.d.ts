/** One of the default metrics of prom-client, which has no types for them one by one. */
declare module 'prom-client/lib/metrics/*.js' {
  const add: (
    registry: import('prom-client').Registry,
    options: { readonly eventLoopMonitoringPrecision: number },
  ) => void;
  export default add;
}
