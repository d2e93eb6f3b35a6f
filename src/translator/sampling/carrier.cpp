#include "sampling/carrier.h"

#include <algorithm>
#include <iterator>

#include "tgsi/tables/names.h"

namespace tgsi2spv::sampling {
namespace {

using tgsi::File;
using tgsi::Opcode;
using tgsi::Operand;

/// An opcode of the message's class. It names the instruction in diagnostics; nothing else reads it.
Opcode opcode(const Message& message) {
    switch (message.cls) {
        case Class::Tld4:
            return message.separate ? Opcode::GATHER4 : Opcode::TG4;
        case Class::Sample3D:
            if (message.sample == SampleOp::LOD) return message.separate ? Opcode::LOD : Opcode::LODQ;
            return message.separate ? Opcode::SAMPLE : Opcode::TEX;
        case Class::Fetch:
            return message.separate ? Opcode::SAMPLE_I : Opcode::TXF;
        case Class::Query:
            break;
    }
    return message.separate ? Opcode::SVIEWINFO : Opcode::TXQ;
}

Operand operand(File file, int32_t index, uint8_t write_mask = 0xf) {
    Operand o;
    o.file = file;
    o.index = index;
    o.write_mask = write_mask;
    return o;
}

tgsi::Declaration declaration(File file, int32_t first, int32_t last) {
    tgsi::Declaration d;
    d.file = file;
    d.first = first;
    d.last = last;
    return d;
}

/// A SVIEW or SAMP operand, at `index` plus the word that `by` names.
Operand descriptor(tgsi::Program& program, File file, int32_t index, const Param& by) {
    Operand o = operand(file, index);
    if (!by.present()) return o;
    o.index_is_relative = true;
    o.relative = static_cast<uint32_t>(program.relatives.size());
    program.relatives.push_back({.file = File::Input, .component = by.component, .index = by.source});
    return o;
}

void add(Carrier& carrier, const Call& call, int32_t number) {
    tgsi::Program& p = carrier.program;
    Message m = call.message;
    const int sources = parameter_sources(m);
    m.texture_source = static_cast<uint8_t>(sources);
    m.sampler_source = static_cast<uint8_t>(m.separate ? sources + 1 : sources);

    tgsi::Instruction i;
    i.op = opcode(m);
    i.target = m.separate ? tgsi::Target::None : call.target;
    i.num_dst = m.sparse ? 2 : 1;
    i.num_src = static_cast<uint8_t>(m.sampler_source + 1);
    i.first_operand = static_cast<uint32_t>(p.operands.size());
    p.operands.push_back(operand(File::Output, 2 * number, m.channel_mask));
    if (m.sparse) p.operands.push_back(operand(File::Output, 2 * number + 1, 1));
    for (int s = 0; s < sources; ++s) p.operands.push_back(operand(File::Input, s));
    // A handle selects from the whole pool: the operands are indexed so that the pool becomes arrays.
    const Param& texture = m.handle.present() ? m.handle : call.texture_index;
    const Param& sampler = m.handle.present() ? m.handle : call.sampler_index;
    if (m.separate) p.operands.push_back(descriptor(p, File::SamplerView, call.texture, texture));
    p.operands.push_back(descriptor(p, File::Sampler, call.sampler, sampler));
    p.instructions.push_back(i);
    carrier.messages.push_back(m);
}

int sources_read(const Call& call) {
    int n = parameter_sources(call.message);
    for (const Param& p : {call.texture_index, call.sampler_index})
        if (p.present()) n = std::max(n, p.source + 1);
    return n;
}

}  // namespace

Carrier carry(std::span<const Call> calls, tgsi::Stage stage, int32_t pool) {
    Carrier carrier;
    tgsi::Program& p = carrier.program;
    p.stage = stage;
    int inputs = 0;
    for (const Call& call : calls) inputs = std::max(inputs, sources_read(call));
    tgsi::Declaration in = declaration(File::Input, 0, std::max(inputs, 1) - 1);
    tgsi::Declaration out = declaration(File::Output, 0, 2 * static_cast<int32_t>(calls.size()) - 1);
    in.has_semantic = out.has_semantic = true;
    in.semantic = out.semantic = tgsi::Semantic::Generic;
    p.declarations = {in, out, declaration(File::Sampler, 0, pool - 1)};
    // Every register of the pool is a view: declared as in the call that names it, otherwise as in the first call.
    for (int32_t t = 0; t < pool; ++t) {
        const auto named = std::find_if(calls.begin(), calls.end(), [&](const Call& c) { return c.texture == t; });
        const Call& call = named == calls.end() ? calls.front() : *named;
        tgsi::Declaration view = declaration(File::SamplerView, t, t);
        view.target = call.target;
        std::fill(std::begin(view.returns), std::end(view.returns), call.returns);
        p.declarations.push_back(view);
    }
    for (size_t k = 0; k < calls.size(); ++k) add(carrier, calls[k], static_cast<int32_t>(k));
    tgsi::Instruction end;
    end.op = Opcode::END;
    end.first_operand = static_cast<uint32_t>(p.operands.size());
    p.instructions.push_back(end);
    return carrier;
}

}  // namespace tgsi2spv::sampling
