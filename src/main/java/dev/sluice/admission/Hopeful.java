package dev.sluice.admission;

/**
 * One of those that are parked in a queue who might be the first of it to start by borrowing.
 *
 * @param lane whose first it is
 * @param precedence it would come no earlier
 * @param isSure whether it starts once there is as much as it takes to be sure
 */
record Hopeful(Lane lane, Precedence precedence, boolean isSure, Needs needs) {
    Hopeful with(Precedence told) {
        return new Hopeful(lane, told, isSure, needs);
    }
}
