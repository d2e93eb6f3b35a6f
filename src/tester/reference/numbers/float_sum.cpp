// Sums of products in any order, and LRP.

#include "reference/numbers/float_math.h"
#include "reference/numbers/float_steps.h"

namespace tgsi2spv::reference {

using namespace steps;

Value lerp(const Context& context, const Value& a, const Value& b, const Value& d) {
    if (!context.nominal && any_apart({&a, &b, &d})) {
        Context nominal = context;
        nominal.nominal = true;
        return for_each_part(Parts{&a, &b, &d}, lerp(nominal, a, b, d).value,
                             [&context](const Parts& p) { return lerp(context, p[0], p[1], p[2]); });
    }
    Value rest = sub(context, exact(1.0f), a);
    Value left = mul(context, a, b), right = mul(context, rest, d);
    Value first = add(context, left, right);
    if (context.nominal) return first;
    Value difference = sub(context, b, d);
    Value second = add(context, mul(context, a, difference), d);
    if (may_be_special(first) || may_be_special(second)) {
        bool same = is_exact(first) && is_exact(second) && first.value == second.value;
        FloatRange r, s;
        same |= float_range(first, r) && float_range(second, s) && r.empty && s.empty;  // both are surely NaN
        return same ? first : unknown(first.value);
    }
    Hull h;
    h.add(first);
    h.add(second);
    if (is_exact(a) && is_exact(b) && is_exact(d)) {
        const double t = static_cast<double>(as_number(a.value));
        h.add_float(as_word(static_cast<float>(product(context, t, static_cast<double>(as_number(b.value))) +
                                               product(context, 1 - t, static_cast<double>(as_number(d.value))))));
    }
    // Where the two forms agree, their products may still have been rounded.
    if (context.contract || !(is_exact(first) && is_exact(second) && first.value == second.value)) {
        h.add(fused(context, a, b, right));
        h.add(fused(context, rest, d, left));
        h.add(fused(context, a, difference, d));
    }
    return filled(h.finish(first.value));
}

namespace {

/// A sum of operands whose parts are not combined.
Value sum_of_parts(const Context& context, const Term* terms, int count) {
    Value single[5], factor[5];
    // The product of one register component with itself: both factors have the same one of its permitted values.
    const auto is_square = [&](int i) { return terms[i].a == terms[i].b && !terms[i].minus; };
    for (int i = 0; i < count; ++i) {
        factor[i] = terms[i].minus ? flipped(*terms[i].a) : *terms[i].a;
        single[i] = !terms[i].b    ? factor[i]
                    : is_square(i) ? square(context, factor[i])
                                   : mul(context, factor[i], *terms[i].b);
    }
    Value left = single[0];
    for (int i = 1; i < count; ++i) left = add(context, left, single[i]);
    if (context.nominal || count == 1) return left;
    // All partial sums by subset: R(S) permits the results of R(A) + R(B) for every split of S, and of R(S - i) with
    // product i fused in.
    Value partial[32];
    for (unsigned set = 1; set < 1u << count; ++set) {
        if (std::has_single_bit(set)) {
            partial[set] = single[std::countr_zero(set)];
            continue;
        }
        Hull h;
        bool first = true, all_equal = true;
        Value seen;
        auto take = [&](const Value& v) {
            if (first)
                seen = v;
            else
                all_equal &= is_exact(v) && is_exact(seen) && v.words[0] == seen.words[0];
            first = false;
            h.add(v);
        };
        for (unsigned part = (set - 1) & set; part > (set ^ part); part = (part - 1) & set)
            take(add(context, partial[part], partial[set ^ part]));
        // If all orders agree and each product was exact by itself, fusing changes nothing worth the time; else:
        for (int i = 0; i < count; ++i) {
            unsigned bit = 1u << i;
            if ((set & bit) && terms[i].b)
                take(fused(context, factor[i], *terms[i].b, partial[set ^ bit], is_square(i)));
        }
        partial[set] = all_equal ? seen : filled(h.finish(seen.value));
    }
    Value result = partial[(1u << count) - 1];
    result.value = left.value;
    if (is_unknown(result)) return result;
    // Inherited bounds lie around the exact result, which is itself permitted.
    double exact_sum = 0;
    for (int i = 0; i < count; ++i) {
        if (!is_exact(factor[i]) || (terms[i].b && !is_exact(*terms[i].b))) return result;
        const double x = static_cast<double>(as_number(factor[i].value));
        exact_sum += terms[i].b ? x * static_cast<double>(as_number(terms[i].b->value)) : x;
    }
    const uint32_t rounded = as_word(static_cast<float>(exact_sum));
    if (!std::isfinite(exact_sum) || exact_sum == 0 || permits(result, rounded)) return result;
    Hull h;
    h.add(result);
    h.add_float(rounded);
    return filled(h.finish(left.value));
}

}  // namespace

Value sum(const Context& context, const Term* terms, int count) {
    bool apart = false;
    for (int i = 0; i < count; ++i) apart |= is_apart(*terms[i].a) || (terms[i].b && is_apart(*terms[i].b));
    if (!apart || context.nominal) return sum_of_parts(context, terms, count);
    Context nominal = context;
    nominal.nominal = true;
    Parts parts;
    for (int i = 0; i < count; ++i) {
        parts.add(*terms[i].a);
        if (terms[i].b && terms[i].b != terms[i].a) parts.add(*terms[i].b);
    }
    return for_each_part(parts, sum_of_parts(nominal, terms, count).value, [&](const Parts& p) {
        Term chosen[5];
        size_t next = 0;
        for (int i = 0; i < count; ++i) {
            const Term& t = terms[i];
            const Value* a = &p[next++];
            chosen[i] = {a, !t.b ? nullptr : t.b == t.a ? a : &p[next++], t.minus};
        }
        return sum_of_parts(context, chosen, count);
    });
}

}  // namespace tgsi2spv::reference
