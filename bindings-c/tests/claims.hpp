// What the tests of the C++ API share: claims, and expected exceptions. For one file of a program.

#ifndef CLAIMS_HPP
#define CLAIMS_HPP

#include <entable/entable.hpp>

#include <cstdio>
#include <string>

using namespace entable;

namespace {

int failures = 0;

#define CHECK(claim) check((claim), #claim, __FILE__, __LINE__)

void check(bool holds, const char *claim, const char *file, int line) {
    if (holds) return;
    std::fprintf(stderr, "%s:%d: %s\n", file, line, claim);
    failures++;
}

/// Whether a call throws this class, with this code, naming this property (empty: none is asked for).
template <class Class, class Call> bool throws(Code code, const std::string &property, Call call) {
    try {
        call();
        std::fprintf(stderr, "nothing was thrown\n");
    } catch (const Class &error) {
        if (error.code() == code && (property.empty() || error.property() == property)) return true;
        std::fprintf(stderr, "got: %s: %s\n", error.name().c_str(), error.what());
    } catch (const Error &error) {
        std::fprintf(stderr, "got another class: %s: %s\n", error.name().c_str(), error.what());
    }
    return false;
}

template <class Call> bool is_misuse(const std::string &argument, Call call) {
    return throws<InvalidError>(Code::InvalidInput, argument, call);
}

} // namespace

#endif
