// Solids cut by others, in three colours.
$fn = 24;
difference() {
    color("gold") cube(20, center = true);
    color("crimson") sphere(13);
}
translate([22, 0, 0]) color("steelblue") rotate_extrude() translate([7, 0]) circle(3);
translate([-22, 0, -8]) color("seagreen") linear_extrude(16, twist = 90) square(10, center = true);
