/* A test that is registered only where what it needs is there: cmocka leaves out a test without a name. One that returned would pass, and
 * cmocka's skip() counts as a failure in TAP. */
#ifndef TESTS_TEST_IF_H
#define TESTS_TEST_IF_H

#define TEST_IF(there, f)                                                                                                                  \
    {                                                                                                                                      \
        (there) ? #f : NULL, (there) ? (f) : NULL, NULL, NULL, NULL                                                                        \
    }

#endif
