/** How soon is noticed what went wrong with those who work on derivatives. */
export interface Pace {
  /** How long a job is somebody's without a sign of life. Whoever has it renews that well before. */
  readonly leaseSeconds: number;
  /** How often what is not urgent is seen to. */
  readonly upkeepSeconds: number;
}

/** The pace of everybody who shares a database. */
export const USUAL_PACE: Pace = { leaseSeconds: 30, upkeepSeconds: 60 };
